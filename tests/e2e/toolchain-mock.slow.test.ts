import '../support/all-cases';
import './toolchain-mock.test';
