/** How the page looks and reads: the colors of the system, names of controls for screen readers, and what is said of operations. */

import { OTHERS, UNTAGGED } from './sidebar.mjs';

const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);

/** Follows the colors of the system, also when they change. */
export function followColors() {
  dark.addEventListener('change', follow);
  follow();
}

/** The text of a label without that of the controls inside of it. */
function textOf(label) {
  const copy = label.cloneNode(true);
  for (const control of copy.querySelectorAll('select, input, textarea')) control.remove();
  return copy.textContent.trim();
}

/** What a control is for, by what is around it. */
function purposeOf(control) {
  const around = (selector) => control.closest(selector);
  const parameter = around('[data-param-name]')?.dataset;
  if (parameter) return `${parameter.paramName} (${parameter.paramIn})`;
  const property = around('[data-property-name]')?.dataset.propertyName;
  const variable = control.dataset.variable;
  const scheme = around('.auth-container')?.querySelector('h4 code')?.textContent;
  if (around('.servers')) return variable ? `Server variable ${variable}` : 'Server';
  if (around('.body-param') || around('.opblock-section-request-body')) return property ?? 'Request body';
  return property ?? scheme ?? control.placeholder ?? 'Examples';
}

/** Names the controls that Swagger UI leaves without a name (WCAG 2.2, 4.1.2 and 2.5.3). */
function nameControls() {
  for (const control of document.querySelectorAll('select, input, textarea')) {
    const isNamed = control.ariaLabel || control.title || [...(control.labels ?? [])].some(textOf);
    if (!isNamed) control.setAttribute('aria-label', purposeOf(control));
  }
  for (const button of document.querySelectorAll('button')) {
    const [text, label] = [button.textContent.trim(), button.getAttribute('aria-label')];
    if (!text && !label && !button.title) button.setAttribute('aria-label', 'Dismiss');
    else if (text && label && !label.includes(text)) button.setAttribute('aria-label', `${label}: ${text}`);
  }
  for (const text of document.querySelectorAll('pre.microlight')) {
    if (text.scrollHeight > text.clientHeight) text.tabIndex = 0;
  }
  for (const image of document.querySelectorAll('.highlight-code img, .response-col_description img'))
    image.alt ||= 'The response';
  // The tab of the callbacks, which Swagger UI opens by the mouse only.
  for (const tab of document.querySelectorAll('.tab-item:not(:only-child, [tabindex])')) {
    tab.tabIndex = 0;
    tab.setAttribute('role', 'button');
    tab.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' && event.key !== ' ') return;
      event.preventDefault();
      tab.click();
    });
  }
  const dialog = document.querySelector('.modal-ux');
  for (const [name, value] of [
    ['role', 'dialog'],
    ['aria-modal', 'true'],
    ['aria-label', 'Credentials'],
  ])
    dialog?.setAttribute(name, value);
}

/** Names controls whenever some have been added. */
export function watchControls(node) {
  let isAsked = false;
  new MutationObserver(() => {
    if (isAsked) return;
    isAsked = true;
    requestAnimationFrame(() => {
      isAsked = false;
      nameControls();
    });
  }).observe(node, { childList: true, subtree: true });
}

/** A plugin of Swagger UI. */
export const lookPlugin = {
  wrapComponents: {
    // The summary of an operation is a button, which cannot contain a link.
    DeepLink:
      (Original, { React: { createElement } }) =>
      (props) =>
        Array.isArray(props.text)
          ? createElement('span', {}, props.text)
          : createElement(Original, { ...props, text: props.text === UNTAGGED ? OTHERS : props.text }),
    // Where there is no summary, the operationId says what an operation is for.
    OperationSummary:
      (Original, { React: { createElement } }) =>
      ({ operationProps, ...props }) => {
        const { summary, originalOperationId, operationId } = operationProps.toObject();
        const title =
          summary || (props.specPath.first() === 'paths' ? originalOperationId || operationId : '');
        return createElement(Original, { ...props, operationProps: operationProps.set('summary', title) });
      },
    InfoUrl:
      (_, { React: { createElement } }) =>
      () =>
        createElement(
          'p',
          { className: 'downloads' },
          'Download the document: ',
          createElement('a', { href: 'openapi.json', download: true }, 'JSON'),
          ', ',
          createElement('a', { href: 'openapi.yaml', download: true }, 'YAML'),
        ),
  },
};
