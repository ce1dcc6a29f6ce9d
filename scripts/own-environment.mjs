import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './build-stamp.mjs'

/** What a child process needs that is no setting of the product. */
const PASSED =
  /^(PATH|HOME|USER|LOGNAME|SHELL|TERM|TZ|TMPDIR|LANG|LC_\w+|XDG_\w+|CI|NO_COLOR|NODE_\w+|npm_config_\w+|CHROM\w*_PATH)$/i
const INSTALLATION = /^(DATABASE_URL|PAYMENT_RPC_URL|ANCHOR_RPC_URL)(_FILE)?$/

/**
 * The environment for a product that a script starts, kills or fills with data. Nothing of the
 * caller's settings gets into it.
 * @throws Error beside an operator's installation: a `.env` would be read by the product, whatever
 *   its environment is
 */
export function ownEnvironment(settings = {}, from = process.env, folder = root) {
  const found = Object.keys(from).find((name) => INSTALLATION.test(name) && from[name])
  const reason = existsSync(join(folder, '.env')) ? 'there is a .env' : found ? `${found} is set` : null
  if (reason) {
    throw new Error(
      `This script starts and kills servers and writes data, and ${reason}: that looks like an installation. Nothing was ` +
        'started. Run it in a clone of its own, without .env and without the settings of an installation.',
    )
  }
  return { ...Object.fromEntries(Object.entries(from).filter(([name]) => PASSED.test(name))), ...settings }
}
