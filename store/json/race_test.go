//go:build race

package jsonstore

const raceDetector = true
