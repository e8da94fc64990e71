export default { test: { setupFiles: ['allure-vitest/setup'], reporters: [['allure-vitest/reporter', { resultsDir: process.env.ALLURE }]] } };
