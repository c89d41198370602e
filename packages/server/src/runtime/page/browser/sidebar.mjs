/** The sidebar: the filter, and a link to each operation. The link to the operation that is being read is marked. */

/** The distance from the top of the window at which people read, in pixels. */
const READING_LINE = 120;

/** The `id` that Swagger UI gives to an element. */
const elementId = (key) => CSS.escape(key.join('-').trim().replace(/\s/g, '_'));

/** The group that Swagger UI makes of operations without a tag, and what it is called here. */
export const UNTAGGED = 'default';
export const OTHERS = 'Operations';

/** Marks the link to what is at the reading line; at the end of the page, to what was asked for if it is visible. */
function markLink() {
  const links = [...document.querySelectorAll('.sidebar a[data-for]')];
  const blocks = links
    .map((link) => ({ link, top: document.getElementById(link.dataset.for)?.getBoundingClientRect().top }))
    .filter(({ top }) => top !== undefined);
  const isEnd = scrollY + innerHeight >= document.documentElement.scrollHeight - 2;
  const asked =
    isEnd && blocks.find(({ link, top }) => link.hash === location.hash && top > -1 && top < innerHeight);
  const { link: current } = asked || blocks.findLast(({ top }) => top <= READING_LINE) || {};
  for (const link of links) {
    if (link === current && !link.hasAttribute('aria-current')) {
      link.setAttribute('aria-current', 'true');
      const list = link.closest('nav');
      const [outer, inner] = [list.getBoundingClientRect(), link.getBoundingClientRect()];
      if (inner.top < outer.top || inner.bottom > outer.bottom) list.scrollTop += inner.top - outer.top - 80;
    } else if (link !== current) link.removeAttribute('aria-current');
  }
}

/** Marks the link whenever the reader scrolls, and the page changes. */
export function followReader(node) {
  let isAsked = false;
  const ask = () => {
    if (isAsked) return;
    isAsked = true;
    requestAnimationFrame(() => {
      isAsked = false;
      markLink();
    });
  };
  for (const event of ['scroll', 'resize', 'hashchange']) addEventListener(event, ask, { passive: true });
  new MutationObserver(ask).observe(node, { childList: true, subtree: true });
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

function Sidebar({ React: { createElement }, fn, layoutSelectors, layoutActions, specSelectors }) {
  const filter = layoutSelectors.currentFilter();
  const groups = specSelectors.taggedOperations();
  const count = groups.reduce((sum, one) => sum + one.get('operations').size, 0);
  const isFiltered = typeof filter === 'string' && filter.trim() !== '';
  const toElement = (id) => (event) => {
    event.preventDefault();
    document.getElementById(id)?.scrollIntoView();
  };
  const operationLink = (tag) => (one) => {
    const [operation, method, path] = ['operation', 'method', 'path'].map((name) => one.get(name));
    const operationId =
      operation.get('__originalOperationId') ??
      operation.get('operationId') ??
      fn.opId(operation.toJS(), path, method);
    const key = ['operations', tag, operationId];
    const id = elementId(key);
    const open = (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      layoutActions.show(['operations-tag', tag], true);
      layoutActions.show(key, true);
      const block = document.getElementById(id);
      block?.scrollIntoView();
      block?.querySelector('button').focus({ preventScroll: true });
      if (!block) layoutActions.scrollToVirtualizedOperation(key);
    };
    const href = `#/${encodeURIComponent(tag)}/${encodeURIComponent(operationId)}`;
    return createElement(
      'li',
      { key: id },
      createElement(
        'a',
        { href, 'data-for': id, onClick: open },
        createElement('span', {}, operation.get('summary') || operation.get('operationId') || path),
        createElement('b', { className: `method-${method.toLowerCase()}` }, method.toUpperCase()),
      ),
    );
  };
  const groupOf = (group, tag) => [
    groups.size > 1 && createElement('h2', { key: `title ${tag}` }, tag === UNTAGGED ? OTHERS : tag),
    createElement('ul', { key: tag }, group.get('operations').map(operationLink(tag)).toArray()),
  ];
  const parts = [
    ['Webhooks', 'webhooks', specSelectors.webhooks()?.size],
    ['Schemas', 'schemas', specSelectors.definitions()?.size],
  ];
  const partLink = ([title, id]) =>
    createElement(
      'li',
      { key: id },
      createElement('a', { href: `#${id}`, 'data-for': id, onClick: toElement(id) }, title),
    );
  return createElement(
    'div',
    { className: 'sidebar' },
    createElement(
      'search',
      {},
      createElement('input', {
        type: 'search',
        'aria-label': 'Filter the operations',
        placeholder: 'Filter the operations',
        value: typeof filter === 'string' ? filter : '',
        onChange: ({ target }) => layoutActions.updateFilter(target.value),
      }),
      createElement('output', {}, isFiltered && `${count} found`),
    ),
    createElement(
      'nav',
      { 'aria-label': 'Operations' },
      groups.map(groupOf).valueSeq().toArray(),
      createElement('ul', {}, parts.filter(([, , size]) => size > 0).map(partLink)),
    ),
  );
}

function PageLayout({ React: { createElement }, getComponent, specSelectors }) {
  const isRead = Boolean(specSelectors.specStr());
  return createElement(
    'div',
    { className: 'swagger-ui page' },
    createElement(getComponent('SkipToOperations')),
    isRead && createElement(getComponent('Sidebar', true)),
    createElement(getComponent('BaseLayout', true)),
  );
}

/** An element around a component, to which the sidebar leads. */
const within =
  (id) =>
  (Original, { React: { createElement } }) =>
  (props) =>
    createElement('div', { id }, createElement(Original, props));

/** A plugin of Swagger UI. Its layout is that of Swagger UI, with the sidebar before it. */
export const sidebarPlugin = {
  fn: { opsFilter },
  components: { Sidebar, PageLayout },
  wrapComponents: {
    FilterContainer: () => () => null,
    Webhooks: within('webhooks'),
    Models: within('schemas'),
    operations:
      (Original, { React: { createElement }, specSelectors, layoutSelectors }) =>
      (props) =>
        typeof layoutSelectors.currentFilter() === 'string' && specSelectors.taggedOperations().size === 0
          ? createElement('p', { className: 'wrapper' }, 'No operation has these words.')
          : createElement(Original, props),
  },
};
