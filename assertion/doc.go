// Package assertion writes what should be true of a page in the words of test tools, so that what
// was missed once can be looked at by a program in place of an agent.
//
// # The law
//
// A line of code fails on a page with the miss and passes on one without it, as the page stands
// when it opens. Where that cannot be promised there is no code, and the reason: a number beside
// one of two labels, a control that a right page disables at times, what is seen only after a step.
// Such an expectation is written for people and for programs that hold it against an observation
// (package fact), not as code.
//
// The texts come from memory, so from outside: they are written as literals of the language and
// nothing in them is code.
package assertion
