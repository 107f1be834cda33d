/**
 * Restores keyboard focus when the focused element is removed: to the next row, the heading of the region, or the
 * element that had the focus before. A browser would move it to the top of the page.
 */

/** An element that had the focus. */
interface FocusTarget {
  readonly element: HTMLElement;
  gap?: Gap;
}

/** The position of a removed element. */
interface Gap {
  readonly taken: Element;
  readonly parent: Node;
  readonly next: Node | null;
  readonly previous: Node | null;
}

const MAX_TARGETS = 8;
/** Time for dialogs to restore the focus themselves. */
const WAIT_MILLIS = 80;
const ROWS = 'li, tr, section, article';
const PLACES = 'section, [role="region"], [role="tabpanel"], main';
const FOCUSABLE =
  'a[href], button:not([disabled]), input:not([disabled]), select:not([disabled]), textarea:not([disabled]), [tabindex="0"]';

/** Starts restoring lost focus. Returns a function that stops it. */
export function keepFocus(): () => void {
  let targets: FocusTarget[] = [];
  /** Whether the user pressed outside of all controls. */
  let isAway = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const onFocus = ({ target }: FocusEvent): void => {
    if (!(target instanceof HTMLElement)) return;
    isAway = false;
    targets = [{ element: target }, ...targets.filter(({ element }) => element !== target)].slice(0, MAX_TARGETS);
  };
  const onPress = ({ target }: PointerEvent): void => {
    isAway = target instanceof Element && target.closest(`${FOCUSABLE}, label`) === null;
  };
  const check = (): void => {
    timer = undefined;
    if (isAway || !isLost()) return;
    const [latest] = targets;
    if (latest === undefined) return;
    // A disabled button will be enabled again.
    if (isDisabled(latest.element)) return;
    const replacement =
      targets.map(replacementOf).find((found) => found !== undefined) ?? headingOf(document.querySelector('main'));
    if (replacement !== undefined) moveFocus(replacement);
  };
  const observer = new MutationObserver((changes) => {
    for (const { target, removedNodes, nextSibling, previousSibling } of changes) {
      for (const taken of removedNodes) {
        if (!(taken instanceof Element)) continue;
        for (const spot of targets) {
          if (taken.contains(spot.gap?.parent ?? spot.element))
            spot.gap = { taken, parent: target, next: nextSibling, previous: previousSibling };
        }
      }
    }
    if (targets.length > 0 && isLost()) timer ??= setTimeout(check, WAIT_MILLIS);
  });
  observer.observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ['disabled'] });
  document.addEventListener('focusin', onFocus);
  document.addEventListener('pointerdown', onPress, true);
  return () => {
    clearTimeout(timer);
    observer.disconnect();
    document.removeEventListener('focusin', onFocus);
    document.removeEventListener('pointerdown', onPress, true);
  };
}

function isLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}

function isDisabled(element: HTMLElement): boolean {
  return element.isConnected && element.matches(':disabled');
}

/** The element that takes the place of a target; the target itself if it still exists. */
function replacementOf({ element, gap }: FocusTarget): HTMLElement | undefined {
  if (element.isConnected) return isDisabled(element) ? undefined : element;
  if (gap === undefined || !gap.parent.isConnected) return undefined;
  if (gap.taken.matches(ROWS)) {
    const row = [gap.next, gap.previous].find(
      (one) => one instanceof HTMLElement && one.isConnected && one.matches(ROWS),
    );
    if (row instanceof HTMLElement)
      return row.matches('section, article') ? row : (row.querySelector<HTMLElement>(FOCUSABLE) ?? row);
  }
  return headingOf(gap.parent instanceof Element ? gap.parent.closest(PLACES) : null);
}

/** The first element to focus in a region: its grid, its heading, or the region itself. */
function headingOf(place: Element | null): HTMLElement | undefined {
  const grid = place?.matches('section') === true ? null : place?.querySelector<HTMLElement>('[role="grid"]');
  const found = grid ?? place?.querySelector<HTMLElement>('h1, h2, h3') ?? place;
  return found instanceof HTMLElement ? found : undefined;
}

function moveFocus(element: HTMLElement): void {
  const isReached = element.matches(FOCUSABLE);
  // Headings and rows are focusable only with a tabindex.
  if (!isReached && !element.hasAttribute('tabindex')) element.tabIndex = -1;
  // Do not scroll to a heading.
  element.focus({ preventScroll: !isReached });
}
