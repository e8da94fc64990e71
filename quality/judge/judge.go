// Package judge measures what guidance does to the verdicts of a real model. Run it with
// `make judge`; docs/judge.md explains it. It is an experiment that takes a person about
// an hour. The record in testdata says what was measured, and when.
package judge
