export default () => { throw new Error('the test server did not start'); };
