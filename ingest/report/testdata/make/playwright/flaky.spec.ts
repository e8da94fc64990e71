import { expect, test } from '@playwright/test';

test('the list is loaded after a second try', ({}, info) => { expect(info.retry).toBe(1); });
test('never comes up', async () => { await new Promise(() => {}); });
test.describe('Orders', () => {
  test.beforeEach(() => { throw new Error('cannot sign in: the user is locked'); });
  test('shows the orders of a customer', () => {});
});
