describe('Cart', () => {
  test('adds up the lines', () => expect(2 * 3).toBe(6));
  test('shows the total', () => expect('¥ 3,998').toBe('¥ 5,997'));
  describe('优惠券', () => {
    test('弹窗关闭后金额减少', () => { throw new Error('弹窗没有关闭'); });
    test.skip('过期后不可用', () => {});
  });
  test.each([[1], [99], [100]])('takes %i of an item', (n) => expect(n).toBeLessThan(100));
});
