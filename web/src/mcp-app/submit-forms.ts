/**
 * Makes forms work in a sandbox that does not allow them: there, a browser blocks the submission before the page hears
 * of it. Every form of this page is handled by a listener, so the event is all that it needs.
 */
export function submitFormsByEvent(): void {
  const onClick = (event: Event): void => {
    const button = event.target instanceof Element ? event.target.closest('button') : null;
    if (button === null || button.type !== 'submit' || button.form === null) return;
    event.preventDefault();
    if (!button.form.reportValidity()) return;
    button.form.dispatchEvent(new SubmitEvent('submit', { bubbles: true, cancelable: true, submitter: button }));
  };
  // Buttons keep their clicks from the document. Enter in a field is a click on the submit button, too.
  document.addEventListener('click', onClick, { capture: true });
}
