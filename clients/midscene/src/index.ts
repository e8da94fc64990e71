export {
  type Api, type MidsceneAgent, remember, Remembered, type RememberOptions, type Told, type Warned,
} from './agent.js';
export { type Remembering, remembering, type RememberingOptions } from './fixture.js';
export { Frozen } from './frozen.js';
export { type Looked } from './checks.js';
