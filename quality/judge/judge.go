// Package judge measures what guidance does to the verdicts of a real model:
// `make judge`, which docs/judge.md explains. It is a recorded experiment, for a
// person with an hour: the record in testdata says what was measured, and when.
package judge
