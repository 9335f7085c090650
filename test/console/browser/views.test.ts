import { testViews } from '../../support/console/look.js';

testViews();
