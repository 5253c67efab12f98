/** One server-sent event. */
export interface SentEvent {
  readonly type: string
  readonly data: string
}

/** Makes events of text as it comes, cut anywhere; comments are passed over. */
export const createEventParser = (): ((text: string) => readonly SentEvent[]) => {
  let rest = ''
  return (text) => {
    const blocks = (rest + text).split('\n\n')
    rest = blocks.pop() ?? ''
    return blocks.flatMap((block) => {
      const event = parse(block)
      return event.data === '' ? [] : [event]
    })
  }
}

const parse = (block: string): SentEvent => {
  let type = 'message'
  const data: string[] = []
  for (const line of block.split('\n')) {
    if (line.startsWith('event: ')) type = line.slice('event: '.length)
    if (line.startsWith('data: ')) data.push(line.slice('data: '.length))
  }
  return { type, data: data.join('\n') }
}
