import '../../../../scripts/testing/all-cases';
import './toolchain-gate.test';
