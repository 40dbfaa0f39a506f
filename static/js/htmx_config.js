// HTMX reads its configuration when the document is ready, after this script.
Object.assign(htmx.config, {
  allowEval: false,
  includeIndicatorStyles: false,
  selfRequestsOnly: true,
  historyCacheSize: 0,
  refreshOnHistoryMiss: true,
  defaultSettleDelay: 0,
  timeout: 10000,
  responseHandling: [
    { code: "204", swap: false },
    { code: "[23]..", swap: true },
    { code: "(400|409|429|503)", swap: true, error: true },
    { code: "[45]..", swap: false, error: true },
  ],
});
