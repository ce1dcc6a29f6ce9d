import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './build-stamp.mjs'

/** Variables that child processes need and that are not settings of the product. */
const passedVariablePattern =
  /^(PATH|HOME|USER|LOGNAME|SHELL|TERM|TZ|TMPDIR|LANG|LC_\w+|XDG_\w+|CI|NO_COLOR|NODE_\w+|npm_config_\w+|CHROM\w*_PATH)$/i
const installationVariablePattern = /^(DATABASE_URL|PAYMENT_RPC_URL|ANCHOR_RPC_URL)(_FILE)?$/

/**
 * Returns the environment for a product that a script starts, kills or fills with data. It contains
 * none of the caller's settings.
 * @throws Error if the folder looks like an operator's installation. The product would read its
 *   `.env` file regardless of the environment.
 */
export function ownEnvironment(settings = {}, from = process.env, folder = root) {
  const installationVariable = Object.keys(from).find((name) => installationVariablePattern.test(name) && from[name])
  const reason = existsSync(join(folder, '.env'))
    ? 'there is a .env'
    : installationVariable
      ? `${installationVariable} is set`
      : null
  if (reason) {
    throw new Error(
      `This script starts and kills servers and writes data, and ${reason}: that looks like an installation. Nothing was ` +
        'started. Run it in a separate clone, without .env and without the settings of an installation.',
    )
  }
  return {
    ...Object.fromEntries(Object.entries(from).filter(([name]) => passedVariablePattern.test(name))),
    ...settings,
  }
}
