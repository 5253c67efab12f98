/** Where a value lies in the body: the first byte and the one after its last. */
export interface Place {
  readonly start: number
  readonly end: number
}

/** A key of the top level with its value. */
export interface Member {
  readonly key: string
  /** Where the comma before it is; undefined for the first. */
  readonly lead: number | undefined
  /** Where the key begins, and what follows its value. */
  readonly start: number
  readonly end: number
  /** Where the value begins. */
  readonly value: number
}

/** Told of values at the top level of the object whose key is wanted. */
export interface LexerEvents {
  /** `value`: for its value, `place`: only for where it is. */
  wants(key: string): 'value' | 'place' | undefined
  onString(key: string, text: string, place: Place): void
  /** Anything but a string: a boolean when it is read, undefined for the rest. */
  onOther(key: string, value: boolean | undefined): void
  /** The value of a key that is wanted for its place has ended. */
  onMember(member: Member): void
  /** The comma that follows a value of the top level. */
  onComma(at: number): void
}
