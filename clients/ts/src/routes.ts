import type { paths } from './schema.js';

/** The methods and paths of the specification, with the types of requests and answers. */
export type Method = 'get' | 'post';

export type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P] extends { [K in M]: object } ? P : never;
}[keyof paths];

type Operation<M extends Method, P extends PathOf<M>> = M extends keyof paths[P] ? paths[P][M] : never;

export type Body<M extends Method, P extends PathOf<M>> =
  Operation<M, P> extends { requestBody: { content: { 'application/json': infer B } } } ? B : never;

type Responses<M extends Method, P extends PathOf<M>> =
  Operation<M, P> extends { responses: infer R } ? R : never;

type Content<R> = R extends { content: { 'application/json': infer B } } ? B : never;

export type Answer<M extends Method, P extends PathOf<M>> =
  Content<Responses<M, P>[keyof Responses<M, P> & (200 | 202)]>;
