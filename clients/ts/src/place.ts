/** The place of guidance: after the prompt, before it, or separately in `context`. */
export type Placement = 'append' | 'prepend' | 'separate';

/**
 * Returns a prompt and guidance, unchanged, with a blank line between them. Without guidance, and with
 * `separate`, it returns the prompt alone.
 */
export function place(prompt: string, guidance: string, where: Placement = 'append'): string {
  if (guidance === '' || where === 'separate') {
    return prompt;
  }
  return where === 'prepend' ? `${guidance}\n\n${prompt}` : `${prompt}\n\n${guidance}`;
}

/** Returns the user's own background knowledge, unchanged, followed by the guidance. */
export function join(own: string | undefined, guidance: string): string {
  return own ? place(own, guidance) : guidance;
}
