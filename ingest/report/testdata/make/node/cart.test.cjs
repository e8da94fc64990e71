const assert = require('node:assert');
const { describe, it } = require('node:test');

describe('Cart', () => {
  it('adds up the lines', () => assert.equal(2 * 3, 6));
  it('shows the total', () => assert.equal('¥ 3,998', '¥ 5,997'));
  describe('优惠券', () => {
    it('弹窗关闭后金额减少', () => { throw new Error('弹窗没有关闭'); });
    it('过期后不可用', { skip: true }, () => {});
    it('is planned', { todo: true }, () => {});
  });
});
it('stands alone', () => {});
