import { PHONE } from '../../support/console/console.js';
import { testViews } from '../../support/console/look.js';
import { LONG } from '../../support/scale.js';

testViews('phone', PHONE, 'dark');
if (LONG) testViews('phone', PHONE, 'light');
