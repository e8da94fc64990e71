// Package judge measures how guidance changes the verdicts of a real model. Run it with `make judge`; docs/judge.md
// explains it. The experiment takes a person about an hour. The record in testdata contains the figures and their
// date.
package judge
