import { beforeAll, describe, expect, it } from 'vitest';

let tries = 0;
describe('Cart', () => {
  it('adds up the lines', () => expect(2 * 3).toBe(6));
  it('shows the total', () => expect('¥ 3,998').toBe('¥ 5,997'));
  it('comes after a second try', { retry: 2 }, () => { tries++; expect(tries).toBe(2); });
  describe('优惠券', () => {
    it('弹窗关闭后金额减少', () => { throw new Error('弹窗没有关闭'); });
    it.skip('过期后不可用', () => {});
  });
});
describe('Orders', () => {
  beforeAll(() => { throw new Error('cannot sign in'); });
  it('shows the orders', () => {});
});
