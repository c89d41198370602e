/** How the page looks and reads: the colors of the system, the filter, and names of controls for screen readers. */

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
    const isNamed =
      control.hasAttribute('aria-label') || control.title || [...(control.labels ?? [])].some(textOf);
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

/** The operations that have each word in their tag, method, path, operationId or summary. */
function opsFilter(tagged, phrase) {
  const words = phrase.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = (tag) => (one) => {
    const said = ['operationId', 'summary'].map((name) => one.getIn(['operation', name]) ?? '');
    const text = [tag, one.get('method'), one.get('path'), ...said].join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  };
  return tagged
    .map((group, tag) => group.update('operations', (operations) => operations.filter(matches(tag))))
    .filter((group) => group.get('operations').size > 0);
}

/** A plugin of Swagger UI. */
export const lookPlugin = {
  fn: { opsFilter },
  wrapComponents: {
    // The summary of an operation is a button, which cannot contain a link.
    DeepLink:
      (Original, { React: { createElement } }) =>
      (props) =>
        Array.isArray(props.text) ? createElement('span', {}, props.text) : createElement(Original, props),
    FilterContainer:
      (Original, { React: { createElement } }) =>
      ({ layoutSelectors, layoutActions, specSelectors }) => {
        const filter = layoutSelectors.currentFilter();
        const count = specSelectors
          .taggedOperations()
          .reduce((sum, one) => sum + one.get('operations').size, 0);
        const isFiltered = typeof filter === 'string' && filter.trim() !== '';
        return createElement(
          'search',
          { className: 'wrapper filter' },
          createElement('input', {
            type: 'search',
            'aria-label': 'Filter the operations',
            placeholder: 'Filter by method, path, tag or summary',
            value: typeof filter === 'string' ? filter : '',
            onChange: ({ target }) => layoutActions.updateFilter(target.value),
          }),
          createElement('output', {}, isFiltered && `${count} found`),
        );
      },
    operations:
      (Original, { React: { createElement }, specSelectors, layoutSelectors }) =>
      (props) =>
        typeof layoutSelectors.currentFilter() === 'string' && specSelectors.taggedOperations().size === 0
          ? createElement('p', { className: 'wrapper' }, 'No operation has these words.')
          : createElement(Original, props),
  },
};
