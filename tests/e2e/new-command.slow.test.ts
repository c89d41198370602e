import '../support/all-cases';
import './new-command.test';
