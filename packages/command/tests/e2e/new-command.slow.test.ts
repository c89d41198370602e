import '../../../../scripts/testing/all-cases';
import './new-command.test';
