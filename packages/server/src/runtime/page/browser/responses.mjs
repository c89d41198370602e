/** Folds the errors of an operation that have the same body, since most operations document the same ones. */

const isError = (code) => /^(?:default|[45]..)$/i.test(code);

/** The body of a response as text, without its examples; undefined if it has none. */
function bodyOf(response) {
  const content = response.get('content');
  const bare = content?.map((media) => media.delete('example').delete('examples'));
  return bare?.size > 0 ? JSON.stringify(bare) : undefined;
}

/** The errors with the same body, for each body that several have: lists of status and response. */
function repeated(responses) {
  const groups = new Map();
  for (const [code, response] of responses.entrySeq()) {
    const body = isError(code) ? bodyOf(response) : undefined;
    if (body !== undefined) groups.set(body, [...(groups.get(body) ?? []), [code, response]]);
  }
  return [...groups.values()].filter((group) => group.length > 1);
}

/** The name of the schema of a body that has one. */
function schemaName(response) {
  const schema = response.get('content').first()?.get('schema');
  const named = schema?.get?.('$$ref') ?? schema?.get?.('$ref');
  return named ? decodeURIComponent(named.split('/').pop()) : undefined;
}

const inWords = (codes) => `${codes.slice(0, -1).join(', ')} and ${codes.at(-1)}`;

/** A plugin of Swagger UI. */
export const responsesPlugin = {
  wrapComponents: {
    // Each group is a member of its first response, from which the row below makes a line that unfolds.
    responses:
      (Original, { React: { createElement } }) =>
      (props) => {
        let { responses } = props;
        for (const group of repeated(responses)) {
          for (const [code] of group.slice(1)) responses = responses.delete(code);
          responses = responses.setIn([group[0][0], 'x-same-body'], group);
        }
        return createElement(Original, { ...props, responses });
      },
    response:
      (Original, { React: { createElement, useState, Fragment } }) =>
      (props) => {
        const [isOpen, setOpen] = useState(false);
        const group = props.response.get('x-same-body');
        if (!group) return createElement(Original, props);
        const [[, first]] = group;
        const name = schemaName(first);
        const label = `${inWords(group.map(([code]) => code))}: the same body${name ? `, ${name}` : ''}`;
        const toggle = { type: 'button', 'aria-expanded': isOpen, onClick: () => setOpen(!isOpen) };
        const line = createElement(
          'tr',
          { className: 'response same-body' },
          createElement('td', { colSpan: 3 }, createElement('button', toggle, label)),
        );
        const rowOf = ([code, response], index) => {
          const isKnown =
            index > 0 && JSON.stringify(response.get('content')) === JSON.stringify(first.get('content'));
          const specPath = props.specPath.pop().push(code);
          const shown = isKnown ? response.delete('content') : response;
          return createElement(Original, { ...props, key: code, code, specPath, response: shown });
        };
        return createElement(Fragment, {}, line, isOpen && group.map(rowOf));
      },
  },
};
