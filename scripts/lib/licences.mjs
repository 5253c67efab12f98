// The licences of what the bundle holds: they ask for their text to go wherever the code goes.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

const IN_PACKAGE = /^((?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+))\//

/** Folders of the packages that esbuild took files of, by `inputs` of its metafile. */
export const packageFolders = (inputs) =>
  [...new Set(Object.keys(inputs).flatMap((file) => IN_PACKAGE.exec(file)?.[1] ?? []))].toSorted()

/** Name, version and text of each; a package that names no licence is an error, so that none is shipped unnoticed. */
export async function licencesOf(folders, root) {
  const read = await Promise.all(folders.map((folder) => licenceOf(join(root, folder))))
  const byName = new Map(read.map((one) => [`${one.name}@${one.version}`, one]))
  return [...byName.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

async function licenceOf(folder) {
  const { name, version, license, author, repository } = JSON.parse(
    await readFile(join(folder, 'package.json'), 'utf8'),
  )
  const files = await readdir(folder)
  const file = files.find((one) => /^licen[cs]e(?:$|[.-])/i.test(one) && !/\.[cm]?js$/.test(one))
  if (typeof license !== 'string') throw new Error(`${name}@${version} names no licence`)
  const text = file === undefined ? withoutText({ author, repository }) : await readFile(join(folder, file), 'utf8')
  return { name, version, license, text: text.trim() }
}

const withoutText = ({ author, repository }) =>
  `The package carries no text of it. By ${author?.name ?? author ?? 'its authors'}, ${repository?.url ?? repository ?? 'on npm'}.`

/** As one file. */
export const licencesText = (licences) =>
  [
    'lswap is shipped as a bundle that holds the packages below, each under its own licence.\n',
    ...licences.map(
      ({ name, version, license, text }) => `${'-'.repeat(80)}\n${name} ${version} (${license})\n\n${text}\n`,
    ),
  ].join('\n')
