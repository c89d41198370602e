import '../support/all-cases';
import './toolchain-dev.test';
