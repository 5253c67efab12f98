/** Why a mutant can not be made of a source; undefined: it can. */
export function placeFault({ file, find }, source) {
  const places = source.split(find).length - 1
  return places === 1 ? undefined : `find occurs ${places} times in ${file}`
}
