import '../../../../scripts/testing/all-cases';
import './toolchain-dev.test';
