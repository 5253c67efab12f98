// A LoRA is two thin matrices for each weight that it changes: `a` from the input to `rank` numbers, `b` from those to the output.

/** Strong enough to change what a model of random numbers says. The constant first dimension stays: the model still speaks. */
export function listAdapterTensors({ layers, dim, ff, rank, type }, random) {
  const format = type === 'q8_0' ? 'f16' : type
  const pair = (name, columns, rows) => [
    { name: `${name}.lora_a`, dims: [columns, rank], format, valueAt: () => random() },
    {
      name: `${name}.lora_b`,
      dims: [rank, rows],
      format,
      valueAt: (index) => (index < rank ? 0 : random() * 2),
    },
  ]
  return Array.from({ length: layers }, (_, index) => pair(`blk.${index}.ffn_down.weight`, ff, dim)).flat()
}
