declare module '@prometheus-io/client/lib/counter' {
  export { Counter as default } from '@prometheus-io/client';
}
declare module '@prometheus-io/client/lib/defaultMetrics' {
  export { collectDefaultMetrics as default } from '@prometheus-io/client';
}
declare module '@prometheus-io/client/lib/gauge' {
  export { Gauge as default } from '@prometheus-io/client';
}
declare module '@prometheus-io/client/lib/histogram' {
  export { Histogram as default } from '@prometheus-io/client';
}
declare module '@prometheus-io/client/lib/registry' {
  export { Registry as default } from '@prometheus-io/client';
}
