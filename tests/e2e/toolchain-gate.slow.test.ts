import '../support/all-cases';
import './toolchain-gate.test';
