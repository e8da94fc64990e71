// Package memtree remembers how AI agents went wrong and hands them the lesson
// before the next try.
//
// An agent that tests software misjudges: it misses a defect (a false pass) or
// reports one that is not there (a false fail). memtree turns each wrong
// judgement into a memory, finds the few that fit the next run, and puts what
// they say to check into its prompt as hypotheses.
//
//	mem, err := memtree.Open(ctx, ".memtree", nil)  // embedded store, no model needed
//	g, err := mem.Guide(ctx, memtree.Query{Prompt: prompt, Scene: scene})
//	result := agent.Run(ctx, g.Enhance(prompt))     // or memtree.Wrap(mem, runCase, nil)
//	err = mem.Record(ctx, memtree.Evaluation{Prompt: prompt, Judgment: result, GroundTruth: truth, Trial: g.Trial})
//
// # What a memory is
//
// A wrong judgement is a case (level 1): its evidence, which never changes, and
// its misses. A miss is one check that was not made, or was made wrongly, with
// the things it was about and whose words say so. Checks are kinds, listed in a
// catalogue. Cases that missed one check in one direction become an experience
// (level 2); the experiences of one error type and direction become a strategy
// (level 3), which counts what was missed most. A case may stand behind several
// experiences. All three are a [github.com/memtree/memtree/tree.Node]; the laws
// they obey are tree.Check.
//
// # One evaluation, from arrival to guidance
//
//  1. Record takes an Evaluation, removes secrets from it (formation.Redact)
//     and puts it into the store's outbox. When it returns, the evaluation is
//     durable: it can no longer be lost.
//  2. In the background the outbox is formed: package formation detects whether
//     the judgement was wrong and which way (package judgment), reads its misses
//     from the evaluator's note, the defects of the ground truth and the
//     differences (package cue; a model too, where there is one), and proposes
//     changes: a new case, or one more occurrence of an old one. It writes nothing.
//  3. apply, the one door, checks the changes against the laws, commits them to
//     the store together with the end of the outbox entry, and updates the index.
//  4. Evolve groups the misses of all cases, writes lessons by rules or a model,
//     holds them against the gates, and forgets what is of no more use. It
//     proposes changes too, and apply commits them.
//  5. Before the next run Guide asks package retrieval, which ranks memories by
//     scene, words, meaning and the checks the prompt calls for, says why for
//     each, and may abstain; package enhance words the few that are left and
//     writes them into a fenced block. Package guard says what may not be shown.
//  6. The run's outcome comes back as an Evaluation that names the trial, and
//     the ledger joins the two.
//
// Stages propose, one door disposes: formation, evolution, retrieval and enhance
// never write. ARCHITECTURE.md has the table of packages and who may import whom.
//
// # Where things are
//
// The words (error types, scene types, the catalogue of checks) are in taxonomy,
// their readers in cue, the words of a text in text, what a judgment says in
// judgment, what no text may say in guard, the built-in embedder in embed, the
// models behind llm, their templates in prompts, the file format in store/json
// (see its FORMAT.md), readers of other tools' files in ingest, and the command
// in cmd/memtree.
package memtree
