/** The style of the documentation page, beside that of Swagger UI: contrast (WCAG 2.2, 1.4.3), phones, and what is added. */
export const STYLE = `
html {
  --link: light-dark(#1a5fa8, #79b8ff);
  --soft: light-dark(#505050, #b7bcbf);
  --good: light-dark(#116b38, #56c777);
  --bad: light-dark(#b3211a, #ff9a92);
  --ink: light-dark(#3b4151, #e4e6e6);
  color-scheme: light dark;
}
body {
  margin: 0;
}
/* Repeated: these rules count for more than those of Swagger UI. */
.swagger-ui.swagger-ui.swagger-ui {
  .info a, .info .url, .renderedMarkdown a, .opblock-tag a.link, .link { color: var(--link); }
  .info { margin: 30px 0; }
  .btn.authorize, .btn.authorize svg, .dialog-ux .modal-ux .btn.modal-btn.authorize { border-color: var(--good); color: var(--good); fill: currentcolor; }
  .btn.cancel.cancel.cancel { border-color: var(--bad); color: var(--bad); }
  .parameter__in, .response-col_status .response-undocumented, .json-schema-2020-12-expand-deep-button { color: var(--soft); }
  .parameter__deprecated, .parameter__name.required::after, .json-schema-2020-12__attribute--warning { color: var(--bad); }
  .response-control-media-type__accept-message, .response-control-media-type__accept-message code { color: var(--good); }
  .header-col, .examples-select__section-label, .servers h4, .servers td { color: var(--ink); }
  .renderedMarkdown code { color: light-dark(#7b1fa2, #c9a4f0); }
  ::placeholder { color: var(--soft) !important; opacity: 1 !important; }
  .opblock.opblock-deprecated { opacity: 1; }
  .opblock-summary-path__deprecated { opacity: 0.85; }
  .opblock-summary-control:focus-visible, button:focus-visible, select:focus-visible, input:focus-visible, textarea:focus-visible {
    outline: 2px solid var(--link) !important;
    outline-offset: 2px;
  }
  .microlight, .microlight code { white-space: pre-wrap !important; overflow-wrap: anywhere; }
  .response-col_links:has(> i) { visibility: hidden; }
}
html:not(.dark-mode) .swagger-ui {
  .info .title small { background: #5b6270; }
  .info .title small.version-stamp { background: #46690a; }
  .btn.execute { background: #1b66b5; border-color: #1b66b5; }
  .download-contents { background: #4b5160; }
  .json-schema-2020-12__constraint--string { background: #855600; }
  .opblock-get .opblock-summary-method { background: #1b66b5; }
  .opblock-post .opblock-summary-method { background: #117a44; }
  .opblock-put .opblock-summary-method { background: #9c5300; }
  .opblock-patch .opblock-summary-method { background: #0b7265; }
  .opblock-delete .opblock-summary-method { background: #c0262d; }
  .opblock-deprecated .opblock-summary-method { background: #5b6270; }
}
html.dark-mode .swagger-ui {
  .opblock.opblock-put .opblock-section-header { background: #5e3725; }
  .opblock.opblock-deprecated .opblock-summary-method { background: #9aa0a6; }
  .json-schema-2020-12__attribute--primary { color: #b3b5ff; }
}
.swagger-ui search {
  align-items: center;
  display: flex;
  gap: 1rem;
  margin-top: 1.5rem;
  input { flex: 0 1 30rem; min-width: 0; }
  output { color: var(--soft); }
}
.swagger-ui .same-body button {
  background: none;
  border: 0;
  color: var(--ink);
  cursor: pointer;
  font-size: 14px;
  padding: 0.5rem 0;
  text-align: left;
  &::before { content: '\\25b8'; display: inline-block; width: 1.2rem; }
  &[aria-expanded='true']::before { content: '\\25be'; }
}
@media (prefers-reduced-motion: reduce) {
  .swagger-ui * { animation: none !important; transition: none !important; }
}
@media (max-width: 46rem) {
  .swagger-ui {
    .wrapper { padding: 0 10px; }
    .opblock-tag { flex-wrap: wrap; }
    .opblock-tag > small { flex: 1 1 100%; order: 1; padding: 0; }
    .opblock-body { overflow-wrap: anywhere; }
    .opblock-section-header { flex-wrap: wrap; gap: 0.5rem; }
    .opblock-section-header label { margin: 0; }
    .tab-header { flex-wrap: wrap; gap: 0.8rem 0; overflow-wrap: normal; }
    .expand-operation { margin-left: auto; }
    .response .highlight-code .microlight { padding-bottom: 3rem !important; }
    .schemes { flex-wrap: wrap; gap: 1rem; }
    .servers > label, .schemes-server-container, .schemes-server-container > div { display: block; margin: 0; width: 100%; }
    .servers select { margin: 0; }
    .table-container { padding: 10px; }
    .responses-inner { padding: 10px; }
    .responses-table, .parameters, .headers, .servers table {
      &, tbody, tr, td, th { box-sizing: border-box; display: block; width: 100%; min-width: 0; max-width: none !important; }
      thead { display: none; }
      td { padding: 0.3rem 0; }
    }
    .response-col_links:has(> i) { display: none !important; }
    .response-col_status { font-weight: 700; padding-top: 0.8rem; }
    select, input, textarea, .body-param, pre { max-width: 100% !important; min-width: 0 !important; box-sizing: border-box; }
    .dialog-ux .modal-ux { min-width: 0; width: calc(100% - 20px); }
    .auth-btn-wrapper { flex-wrap: wrap; gap: 0.5rem; }
    .servers .computed-url code { margin: 0; overflow-wrap: anywhere; }
  }
}
`;
