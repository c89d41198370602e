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

for (const table of all('table')) {
  const headers = all('thead th', table);
  headers.forEach((header, column) => {
    const name = header.textContent;
    header.innerHTML = '';
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = name;
    header.append(button);
    button.onclick = () => {
      const descending = header.getAttribute('aria-sort') === 'ascending';
      for (const other of headers) other.removeAttribute('aria-sort');
      header.setAttribute('aria-sort', descending ? 'descending' : 'ascending');
      const isNumber = header.classList.contains('number');
      const value = (row) => row.cells[column].textContent;
      const compare = (a, b) => isNumber ? Number(value(a)) - Number(value(b)) : value(a).localeCompare(value(b), 'en', { numeric: true });
      const rows = [...table.tBodies[0].rows].sort(compare);
      table.tBodies[0].append(...(descending ? rows.reverse() : rows));
    };
  });
}

for (const tools of all('.tools')) {
  const rows = all('tbody tr', document.getElementById(tools.dataset.table));
  const words = tools.querySelector('input');
  const operation = tools.querySelector('select');
  const output = tools.querySelector('output');
  const chips = all('button[data-state]', tools);
  const texts = rows.map((row) => row.textContent.toLowerCase());
  let state = '';
  const show = () => {
    const wanted = words.value.toLowerCase().split(' ').filter(Boolean);
    let shown = 0;
    rows.forEach((row, index) => {
      const matches = wanted.every((word) => texts[index].includes(word)) && (state === '' || row.dataset.state === state)
        && (!operation || operation.value === '' || row.dataset.operation === operation.value);
      row.hidden = !matches;
      if (matches) shown += 1;
    });
    output.textContent = shown + ' of ' + rows.length;
  };
  tools.hidden = false;
  words.oninput = show;
  if (operation) operation.onchange = show;
  for (const chip of chips) chip.onclick = () => {
    state = chip.dataset.state;
    for (const other of chips) other.setAttribute('aria-pressed', String(other === chip));
    show();
  };
  show();
}

let closed = [];
addEventListener('beforeprint', () => { closed = all('section:not(#failures) details:not([open])'); for (const one of closed) one.open = true; });
addEventListener('afterprint', () => { for (const one of closed) one.open = false; });
`;
