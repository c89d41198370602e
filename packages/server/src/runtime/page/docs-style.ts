/** The style of the documentation page, beside that of Swagger UI: layout, colors (contrast by WCAG 2.2, 1.4.3), and phones. */
// `String.raw`: the declaration of a literal would repeat the whole text.
export const STYLE = String.raw`
html, html.dark-mode {
  --ink: light-dark(#1b1d22, #e9eaec);
  --soft: light-dark(#5a616d, #a6acb6);
  --line: light-dark(#dfe1e6, #2d3036);
  --page: light-dark(#ffffff, #101113);
  --panel: light-dark(#f6f7f9, #191b1e);
  --code: #1b1e24;
  --link: light-dark(#1a5fa8, #79b8ff);
  --good: light-dark(#116b38, #56c777);
  --bad: light-dark(#b3211a, #ff9a92);
  --get: light-dark(#1a5fa8, #79b8ff);
  --post: light-dark(#116b38, #56c777);
  --put: light-dark(#8a4b00, #f0b35e);
  --patch: light-dark(#0b665a, #5fd0bf);
  --delete: light-dark(#b3211a, #ff9a92);
  --other: light-dark(#5b3fa8, #bda9ff);
  --text: system-ui, sans-serif;
  --mono: ui-monospace, SFMono-Regular, Menlo, 'DejaVu Sans Mono', monospace;
  background: var(--page);
  color-scheme: light dark;
  scroll-padding-top: 1rem;
}
body { margin: 0; }
.method-get { --method: var(--get); }
.method-post { --method: var(--post); }
.method-put { --method: var(--put); }
.method-patch { --method: var(--patch); }
.method-delete { --method: var(--delete); }

/* Repeated: these rules count for more than those of Swagger UI. */
.swagger-ui.swagger-ui.swagger-ui.swagger-ui.swagger-ui {
  background: var(--page);
  color: var(--ink);
  font-family: var(--text);
  *:not(code, pre, textarea, pre *, .microlight *) { font-family: var(--text); }
  code, pre, textarea, .opblock-summary-path, .opblock-summary-path__deprecated, .parameter__name, .prop-type, .parameter__type, .response-col_status, .sidebar b { font-family: var(--mono); }
  :focus-visible { outline: 2px solid var(--link) !important; outline-offset: 2px; }
  .wrapper { margin: 0; max-width: none; padding: 0; }
  .col-12, .block { padding: 0; }
  p, li, td, th, label, h1, h2, h3, h4, h5, h6, .renderedMarkdown p, .opblock-title, .models-control, .tab li, .tab-item h4, .col_header, .parameter__name, .response-col_status, .json-schema-2020-12__title, .loading-container h4 { color: var(--ink); }
  .parameter__in, .parameter__type, .prop-format, .prop-type, .response-undocumented, .opblock-summary-description, .json-schema-2020-12-expand-deep-button, .json-schema-2020-12__attribute, small, .opblock-tag small p, .opblock-tag small, .hint { color: var(--soft); }
  a, .link, .opblock-tag a.link, .renderedMarkdown a, .info a { color: var(--link); }
  .opblock-tag a.nostyle, .opblock-tag a.nostyle span { color: var(--ink); }
  svg { fill: currentcolor; }
  .parameter__deprecated, .parameter__name.required span, .parameter__name.required::after, .json-schema-2020-12__attribute--warning { color: var(--bad); }
  .examples-select__section-label, .example-title, .response-control-examples__title { color: var(--soft); }
  ::placeholder { color: var(--soft) !important; opacity: 1 !important; }

  .swagger-ui__skip-link:focus { background: var(--page); border-color: var(--line); }

  /* What Swagger UI says first */
  .information-container { padding: 0; }
  .info { margin: 0 0 1.5rem; }
  .info .title { align-items: center; color: var(--ink); display: flex; flex-wrap: wrap; font-size: 2rem; gap: 0.75rem; letter-spacing: -0.02em; }
  .info .title span { display: flex; gap: 0.4rem; }
  .info .title small { background: var(--panel); border: 1px solid var(--line); border-radius: 1rem; inset: 0; margin: 0; padding: 0.15rem 0.6rem; position: static; vertical-align: middle; }
  .info .title small pre { color: var(--soft); font: 0.75rem var(--text); margin: 0; padding: 0; }
  .info .description { margin: 1rem 0; max-width: 45rem; }
  .info p, .info li { font-size: 0.95rem; line-height: 1.6; }
  .info__contact, .info__tos, .info__license, .info__contact div { display: inline-block; font-size: 0.875rem; margin: 0 1rem 0 0; }
  .downloads { font-size: 0.875rem; margin: 0.75rem 0 0; }
  .scheme-container { background: none; border: solid var(--line); border-width: 1px 0; box-shadow: none; margin: 0 0 1.5rem; padding: 1rem 0; }
  .schemes { align-items: end; display: flex; flex-wrap: wrap; gap: 1rem; justify-content: space-between; }
  .servers-title, .servers h4, .servers td { color: var(--soft); font-size: 0.8rem; font-weight: 600; }
  .servers > label { font-size: 0.875rem; margin: 0.2rem 0 0; }
  .servers .computed-url { color: var(--ink); font-size: 0.875rem; margin: 1rem 0; }
  .auth-wrapper { gap: 0.5rem; margin: 0; padding: 0; }

  /* Controls */
  select, input:not([type='checkbox'], [type='radio']), textarea { background: var(--page); border: 1px solid light-dark(#8a909b, #6b717c); border-radius: 6px; box-shadow: none; box-sizing: border-box; color: var(--ink); font-size: 0.875rem; font-weight: 400; margin: 0; padding: 0.45rem 0.65rem; }
  select { appearance: auto; min-width: 0; padding-block: 0.4rem; }
  input.invalid, textarea.invalid, select.invalid { border-color: var(--bad); }
  textarea { background: var(--panel); field-sizing: content; font: 0.8rem/1.5 var(--mono); max-height: 30rem; min-height: 3rem; }
  table.parameters input[type='text'] { max-width: 24rem; width: 100%; }
  .btn { border: 1px solid light-dark(#8a909b, #6b717c); border-radius: 6px; box-shadow: none; color: var(--ink); font-size: 0.875rem; font-weight: 600; padding: 0.4rem 0.9rem; }
  .btn:hover { background: var(--panel); }
  .btn.authorize { border-color: var(--good); color: var(--good); }
  .btn.cancel { border-color: var(--bad); color: var(--bad); }
  .btn.execute { background: light-dark(#1a5fa8, #2f6fb5); border-color: transparent; color: #fff; }
  .try-out__btn.cancel { display: none; }

  /* Operations */
  .opblock-tag { align-items: baseline; border: 0; flex-wrap: wrap; font-size: 1.25rem; gap: 0.2rem 0.75rem; letter-spacing: -0.01em; margin: 1.5rem 0 0.6rem; padding: 0; }
  .opblock-tag:hover { background: none; }
  .opblock-tag small { flex: 1; font-size: 0.875rem; padding: 0; }
  .opblock-tag small p { margin: 0; }
  .opblock-tag svg { height: 14px; width: 14px; }
  .opblock-tag .info__externaldocs small { font-size: 0.875rem; padding: 0; }
  .opblock { --method: var(--other); background: var(--page); border: 1px solid var(--line); border-radius: 8px; box-shadow: none; margin: 0 0 0.6rem; opacity: 1; }
  .opblock-get { --method: var(--get); }
  .opblock-post { --method: var(--post); }
  .opblock-put { --method: var(--put); }
  .opblock-patch { --method: var(--patch); }
  .opblock-delete { --method: var(--delete); }
  .opblock-deprecated { --method: var(--soft); }
  .opblock-summary { border: 0; border-radius: 7px; padding: 0.2rem 0.7rem 0.2rem 0.2rem; }
  .opblock.is-open > .opblock-summary, .opblock-summary:hover { background: var(--panel); }
  .opblock.is-open > .opblock-summary { border-bottom: 1px solid var(--line); border-radius: 7px 7px 0 0; }
  .opblock-summary-control:focus:not(:focus-visible) { box-shadow: none; outline: 0; }
  .opblock-summary-control { gap: 0.75rem; outline-offset: -2px; padding: 0.35rem; }
  .opblock-summary-method { background: color-mix(in srgb, var(--method) 12%, var(--page)); border-radius: 5px; color: var(--method); font: 700 0.75rem var(--mono); min-width: 4rem; padding: 0.35rem 0.3rem; text-shadow: none; }
  .opblock-summary-path-description-wrapper { align-items: baseline; display: flex; flex-flow: row wrap; gap: 0.1rem 0.9rem; padding: 0; }
  .opblock-summary-path, .opblock-summary-path__deprecated { color: var(--ink); flex-shrink: 1; font-size: 0.875rem; font-weight: 600; max-width: 100%; padding: 0; }
  .opblock-summary-description { flex: 1 1 10rem; font-size: 0.875rem; text-align: left; }
  .opblock-control-arrow svg { height: 14px; width: 14px; }
  .authorization__btn { opacity: 1; }
  .opblock-body { padding: 1.25rem; }
  .opblock-description-wrapper, .opblock-external-docs-wrapper, .opblock-title_normal { border: 0 !important; font-size: 0.9rem; padding: 0; }
  .opblock-description-wrapper p, .opblock-external-docs-wrapper p { font-size: 0.9rem; line-height: 1.6; margin: 0 0 0.75rem; }
  .opblock-section-header { background: none; border: solid var(--line); border-width: 0 0 1px; box-shadow: none; margin: 1.25rem 0 0.75rem; min-height: 2.2rem; padding: 0 0 0.4rem; }
  .opblock-section-header h4, .responses-inner h4, .responses-inner h5 { font-size: 0.875rem; font-weight: 650; }
  .opblock-section-header label { margin: 0 0 0 auto; }
  .opblock-section:first-child > .opblock-section-header, .opblock-description-wrapper + .opblock-section > .opblock-section-header { margin-top: 0; }
  .opblock-section:not(.opblock-section-request-body, :has(.parameters, .try-out .reset, .tab-item + .tab-item)) > .opblock-section-header, .opblock-section:has(.opblock-section-request-body):not(:has(table.parameters)) > .parameters-container { display: none; }
  .tab-header { gap: 1.2rem; }
  .tab-header .tab-item { padding: 0; }
  .tab-header .tab-item.active h4 span::after { display: none; }
  .tab-header .tab-item:not(.active) h4 { color: var(--soft); }
  .table-container, .responses-inner, table.parameters, table.responses-table { padding: 0; }
  .opblock-section:not(:has(> .parameters-container table, .tab-item + .tab-item)) > .opblock-section-header .tab-header { visibility: hidden; }
  table thead tr td, table thead tr th { border-bottom: 1px solid var(--line); color: var(--soft); font-size: 0.75rem; font-weight: 600; padding: 0.3rem 0; }
  .parameters thead, .responses-table > thead { display: none; }
  table.parameters td, table.responses-table td { border: 0; padding: 0.6rem 0; }
  table.parameters tr + tr td { border-top: 1px solid var(--line); }
  .parameters-col_name { padding-right: 1rem !important; width: 11rem; max-width: 11rem; overflow-wrap: anywhere; }
  .parameters-col_description { margin: 0; width: auto; }
  .parameters-col_description > .renderedMarkdown p { font-size: 0.875rem; margin: 0 0 0.5rem; }
  .parameter__name { font-size: 0.85rem; font-weight: 600; margin: 0; }
  .parameter__name.required::after { font: 600 0.7rem var(--text); padding: 0 0 0 0.4rem; position: static; top: 0; }
  .parameter__name.required span { display: none; }
  .parameter__type, .parameter__in { display: inline; font-size: 0.75rem; font-style: normal; font-weight: 400; padding: 0 0.4rem 0 0; }
  .opblock h4.parameter__name { font: 650 0.875rem var(--text); }
  .tab { margin: 0.4rem 0; padding: 0; }
  .tab li, .tab li button { font-size: 0.8rem; }
  .tab li button.tablinks { color: var(--soft); }
  .tab li.active button.tablinks { color: var(--ink); font-weight: 650; }
  .execute-wrapper, .btn-group { display: flex; gap: 0.6rem; justify-content: start; padding: 1rem 0 0; }
  .execute-wrapper:empty { display: none; }
  .execute-wrapper .btn, .btn-group .btn { border-radius: 6px; flex: 0 0 auto; min-width: 8rem; width: auto; }
  .try-out.btn-group { justify-content: end; padding: 0; }
  .try-out.btn-group .btn { min-width: 0; }
  .validation-errors { background: none; border: 1px solid var(--bad); border-radius: 6px; color: var(--ink); font-size: 0.875rem; margin: 1rem 0 0; padding: 0.6rem 0.9rem; }
  .response-col_status { font-size: 0.875rem; font-weight: 600; width: 5.5rem; }
  .response-undocumented { font: 0.7rem var(--text); }
  .response-col_description { box-sizing: border-box; max-width: none; min-width: 0; width: 100%; }
  .response-col_description__inner p { font-size: 0.875rem; margin: 0 0 0.4rem; }
  .responses-table, .responses-table > tbody { display: block; }
  .responses-table tr.response { border-top: 1px solid var(--line); display: grid; grid-template-columns: 5.5rem minmax(0, 1fr); }
  .responses-table tr.response:first-child { border-top: 0; }
  .response-col_links { grid-column: 2; }
  .same-body td { grid-column: 1 / -1; }
  .response-col_links:has(> i), .responses-table:not(:has(.response-col_links .response__extension, .response-col_links .operation-link)) .responses-header .response-col_links { display: none !important; }
  .response-control-media-type__title, .response-control-media-type__accept-message, .response-control-media-type__accept-message code, .response-control-examples__title { color: var(--soft); font-size: 0.75rem; }
  .response-control-media-type--accept-controller select { border-color: light-dark(#8a909b, #6b717c); }
  .response__extension { font-size: 0.8rem; }
  .headers-wrapper { padding: 0.4rem 0 0; }

  /* Code, dark in both modes */
  .microlight, .example.microlight, pre.microlight { background: var(--code) !important; border-radius: 6px; font: 400 0.8rem/1.55 var(--mono) !important; margin: 0; padding: 0.75rem 0.9rem !important; white-space: pre-wrap !important; overflow-wrap: anywhere; }
  .microlight * { font: inherit !important; overflow-wrap: anywhere; white-space: pre-wrap !important; }
  .highlight-code > .microlight { max-height: 25rem; min-height: 0; }
  .download-contents, .copy-to-clipboard { background: #4b5160; border-radius: 5px; bottom: 0.5rem; right: 0.5rem; }
  .renderedMarkdown code { background: var(--panel); border: 1px solid var(--line); border-radius: 4px; color: var(--ink); font-size: 0.85em; padding: 0.05rem 0.3rem; }
  .samples { background: var(--code); border-radius: 8px; color: #e9eaec; margin-top: 1.25rem; overflow: hidden; }
  .samples-head { background: #262a31; display: flex; flex-wrap: wrap; gap: 0.2rem; padding: 0.3rem 0.5rem; }
  .samples-head button { background: none; border: 0; border-radius: 5px; color: #b4bac5; cursor: pointer; font-size: 0.75rem; outline-color: #79b8ff !important; padding: 0.35rem 0.6rem; }
  .samples-head button[aria-pressed='true'] { background: #3a3f49; color: #fff; font-weight: 600; }
  .samples-head .copy { margin-left: auto; }
  .samples .microlight { border-radius: 0; max-height: 30rem; overflow: auto; }

  /* Schemas */
  .webhooks h2 { font-size: 1.25rem; margin: 2rem 0 0.6rem; }
  section.models { border: 0; margin: 2rem 0 0; padding: 0; }
  section.models h4, section.models.is-open h4 { border: 0; margin: 0 0 0.6rem; padding: 0; }
  section.models h4 .models-control { align-items: baseline; font-size: 1.25rem; justify-content: start; gap: 0.75rem; outline-offset: 2px; padding: 0; }
  section.models > div { margin: 0; padding: 0; }
  section.models h4 svg { height: 14px; width: 14px; }
  section.models .model-container, section.models .json-schema-2020-12, .model-box { background: var(--page); border: 1px solid var(--line); border-radius: 8px; box-sizing: border-box; margin: 0 0 0.6rem; padding: 0.6rem 0.9rem; width: auto; }
  section.models .json-schema-2020-12 .json-schema-2020-12 { border: 0; margin: 0; padding: 0; }
  .json-schema-2020-12, .json-schema-2020-12-body { border-color: var(--line); }
  .json-schema-2020-12-head, .json-schema-2020-12__title { font-size: 0.85rem; }
  .json-schema-2020-12__title, .json-schema-2020-12-accordion { font-family: var(--mono); }
  .json-schema-2020-12__attribute--primary, .json-schema-2020-12-keyword__value, .json-schema-2020-12-keyword__value--primary, .json-schema-2020-12-keyword__value--secondary, .json-schema-2020-12-keyword__name { color: var(--ink); }
  .json-schema-2020-12__attribute--primary { color: var(--link); font: 600 0.78rem var(--mono); text-transform: none; }
  .json-schema-2020-12-accordion, .json-schema-2020-12-expand-deep-button { background: none; }
  .json-schema-2020-12__constraint, .json-schema-2020-12__constraint--string { background: var(--panel); border: 1px solid var(--line); color: var(--ink); }
  .json-schema-2020-12-json-viewer__value, .json-schema-2020-12-json-viewer__name { color: var(--ink); }
  .json-schema-2020-12-keyword__value { overflow-wrap: anywhere; }
  .json-schema-2020-12-keyword__value--warning { border-color: var(--bad); color: var(--bad); }

  /* Credentials */
  .dialog-ux .modal-ux { background: var(--page); border: 1px solid var(--line); border-radius: 10px; max-width: min(40rem, calc(100% - 20px)); min-width: 0; width: 100%; }
  .dialog-ux .modal-ux-header { border-color: var(--line); }
  .dialog-ux .modal-ux-header h3, .dialog-ux h4, .dialog-ux .modal-ux-content p { color: var(--ink); }
  .dialog-ux .modal-ux-content .hint { color: var(--soft); font-size: 0.8rem; overflow-wrap: anywhere; }
  .auth-container { border-color: var(--line); }
  .auth-container input { width: 100%; }
  .auth-container .wrapper { padding: 0.2rem 0; }

  /* What is added */
  .same-body button { background: none; border: 0; color: var(--ink); cursor: pointer; font-size: 0.875rem; padding: 0.2rem 0; text-align: left; }
  .same-body button::before { content: '\25b8'; display: inline-block; width: 1.2rem; }
  .same-body button[aria-expanded='true']::before { content: '\25be'; }
}
.sidebar {
  input { width: 100%; }
  output { color: var(--soft); font-size: 0.8rem; }
  output:empty { display: none; }
  nav { flex: 1; margin: 0 -0.75rem; overflow: auto; padding: 0 0.25rem; }
  h2 { font-size: 0.8rem; margin: 1rem 0.5rem 0.3rem; }
  ul { list-style: none; margin: 0; padding: 0; }
  a { align-items: center; border-radius: 6px; color: var(--soft) !important; display: flex; font-size: 0.85rem; gap: 0.5rem; justify-content: space-between; outline-offset: -2px !important; padding: 0.35rem 0.5rem; text-decoration: none; }
  a span { overflow: hidden; overflow-wrap: anywhere; }
  a:hover, a[aria-current] { background: light-dark(#e9ecf1, #26292f); color: var(--ink) !important; }
  a[aria-current] { font-weight: 600; }
  b { color: var(--method, var(--other)); font-size: 0.65rem; }
}
.page > .swagger-ui { margin: 0 auto; max-width: 76rem; min-width: 0; padding: 2.5rem 2.5rem 4rem; width: 100%; box-sizing: border-box; }
.sidebar { box-sizing: border-box; display: flex; flex-direction: column; gap: 0.75rem; padding: 1rem; }
@media (min-width: 64rem) {
  .page { display: grid; grid-template-columns: 18rem minmax(0, 1fr); }
  .sidebar { background: var(--panel); border-right: 1px solid var(--line); height: 100vh; position: sticky; top: 0; }
}
@media (max-width: 64rem) {
  .sidebar { border-bottom: 1px solid var(--line); }
  .sidebar nav { display: none; }
  .page > .swagger-ui { padding: 1.5rem 1rem 3rem; }
}
@media (min-width: 80rem) {
  .opblock-body:has(> .samples) {
    column-gap: 1.5rem;
    display: grid;
    grid-template-columns: minmax(0, 1fr) minmax(0, 26rem);
    > * { grid-column: 1; min-width: 0; }
    > .samples { align-self: start; grid-column: 2; grid-row: 1 / span 20; margin-top: 0 !important; position: sticky; top: 1rem; }
  }
}
@media (prefers-reduced-motion: reduce) {
  .swagger-ui * { animation: none !important; transition: none !important; }
}
@media (max-width: 46rem) {
  .swagger-ui.swagger-ui.swagger-ui.swagger-ui.swagger-ui {
    .info .title { font-size: 1.6rem; }
    .opblock-body { overflow-wrap: anywhere; padding: 0.9rem; }
    .opblock-section-header { flex-wrap: wrap; gap: 0.5rem; }
    .tab-header { flex-wrap: wrap; overflow-wrap: normal; }
    .servers > label, .schemes-server-container, .schemes-server-container > div { display: block; width: 100%; }
    .responses-table, .parameters, .headers, .servers table {
      &, tbody, tr, td, th { box-sizing: border-box; display: block; max-width: none !important; min-width: 0; width: 100%; }
      tr + tr td { border: 0; }
      tr + tr { border-top: 1px solid var(--line); }
      td, td.parameters-col_name { padding: 0.3rem 0 !important; }
      tr { padding: 0.4rem 0; }
    }
    select, input, textarea, .body-param, pre { box-sizing: border-box; max-width: 100% !important; min-width: 0 !important; }
    .auth-btn-wrapper { flex-wrap: wrap; gap: 0.5rem; }
    .servers .computed-url code { margin: 0; overflow-wrap: anywhere; }
  }
}
`;
