/** `make contract URL=... DOC=...`: tests any server. The toolchain reads the document, the engine does the rest. */
import { readSource } from '../../scripts/source/source';
import { main } from '../engine/main';

void main(process.argv.slice(2), readSource).then((status) => {
  process.exitCode = status;
});
