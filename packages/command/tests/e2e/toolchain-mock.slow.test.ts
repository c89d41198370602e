import '../../../../scripts/testing/all-cases';
import './toolchain-mock.test';
