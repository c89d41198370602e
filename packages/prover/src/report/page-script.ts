/** Runs before the page is drawn: a long table starts with its first rows. */
export const EARLY_SCRIPT = `document.documentElement.dataset.script = ''`;

/** The script of the page: the theme, the filters, the order of rows, and the copy buttons. The page works without it. */
export const SCRIPT = `
const root = document.documentElement;
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const isDark = () => root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
const theme = document.getElementById('theme');
const label = () => { theme.textContent = isDark() ? 'Light' : 'Dark'; };
theme.hidden = false;
theme.onclick = () => { root.dataset.theme = isDark() ? 'light' : 'dark'; label(); };
label();

for (const button of all('.command button')) {
  if (!navigator.clipboard) { button.hidden = true; continue; }
  button.onclick = async () => {
    await navigator.clipboard.writeText(button.parentElement.querySelector('pre').textContent);
    button.textContent = 'Copied';
    setTimeout(() => { button.textContent = 'Copy'; }, 1500);
  };
}

const narrow = matchMedia('(max-width: 46rem)');
const fold = () => {
  for (const one of all('.fold')) one.open = !narrow.matches && !one.classList.contains('long');
  for (const one of all('section:target .fold')) one.open = true;
};
narrow.onchange = fold;
addEventListener('hashchange', () => { for (const one of all('section:target .fold')) one.open = true; });
fold();

const STEP = narrow.matches ? 30 : 300;
for (const table of all('table')) {
  const body = table.tBodies[0];
  let rows = [...body.rows];
  const texts = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));
  const tools = table.closest('section').querySelector('.tools');
  const words = tools && tools.querySelector('input');
  const operation = tools && tools.querySelector('select');
  const chips = tools ? all('button[data-state]', tools) : [];
  let state = '';
  let limit = STEP;
  const more = document.createElement('button');
  more.type = 'button';
  more.onclick = () => { limit += STEP; show(); };
  table.parentElement.after(more);
  const show = () => {
    const wanted = words ? words.value.toLowerCase().split(' ').filter(Boolean) : [];
    let matching = 0;
    for (const row of rows) {
      const matches = wanted.every((word) => texts.get(row).includes(word)) && [state, operation ? operation.value : '']
        .every((chosen, column) => chosen === '' || row.cells[column].textContent === chosen);
      if (matches) matching += 1;
      row.hidden = !matches || matching > limit;
    }
    if (tools) tools.querySelector('output').textContent = matching + ' of ' + rows.length + (matching > limit ? ', the first ' + limit + ' shown' : '');
    more.hidden = matching <= limit;
    more.textContent = 'Show ' + Math.min(STEP, matching - limit) + ' more';
  };
  const headers = all('thead th', table);
  headers.forEach((header, column) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = header.textContent;
    header.replaceChildren(button);
    button.onclick = () => {
      const descending = header.getAttribute('aria-sort') === 'ascending';
      for (const other of headers) other.removeAttribute('aria-sort');
      header.setAttribute('aria-sort', descending ? 'descending' : 'ascending');
      const isNumber = header.classList.contains('number');
      const collator = new Intl.Collator('en', { numeric: true });
      const keyed = rows.map((row) => [row.cells[column].textContent, row]);
      keyed.sort(([a], [b]) => isNumber ? Number(a) - Number(b) : collator.compare(a, b));
      rows = keyed.map(([, row]) => row);
      if (descending) rows.reverse();
      show();
      body.append(...rows);
    };
  });
  if (tools) {
    tools.hidden = false;
    words.oninput = show;
    if (operation) operation.onchange = show;
    for (const chip of chips) chip.onclick = () => {
      state = chip.dataset.state;
      for (const other of chips) other.setAttribute('aria-pressed', String(other === chip));
      show();
    };
  }
  show();
  table.dataset.ready = '';
}

let closed = [];
addEventListener('beforeprint', () => { closed = all('section:not(#failures) details:not([open]), .fold:not([open])'); for (const one of closed) one.open = true; });
addEventListener('afterprint', () => { for (const one of closed) one.open = false; });
`;
