export { openLibraryStore as openStore } from './library';
