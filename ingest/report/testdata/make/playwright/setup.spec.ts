import { test } from '@playwright/test';

test('is never reached', () => {});
