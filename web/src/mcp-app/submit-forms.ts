/**
 * Makes forms work in a sandbox without `allow-forms`, in which a browser blocks the submission before it dispatches
 * the event. Listeners handle every form of this page, so the event is sufficient.
 */
export function submitFormsByEvent(): void {
  const onClick = (event: Event): void => {
    const button = event.target instanceof Element ? event.target.closest('button') : null;
    if (button === null || button.type !== 'submit' || button.form === null) return;
    event.preventDefault();
    if (!button.form.reportValidity()) return;
    button.form.dispatchEvent(new SubmitEvent('submit', { bubbles: true, cancelable: true, submitter: button }));
  };
  // Buttons stop the propagation of clicks. Enter in a field is a click on the submit button, too.
  document.addEventListener('click', onClick, { capture: true });
}
