export { Memtree, type Options } from './client.js';
export { type ErrorCode, MemtreeError } from './error.js';
export type { FetchLike } from './http.js';
export { newId } from './id.js';
export { join, place, type Placement } from './place.js';
export type { components, operations, paths } from './schema.js';
export * from './types.js';
export type { JudgeVerdict, Remembered, RunCase, RunResult, TestCase, WrapOptions } from './wrap.js';
