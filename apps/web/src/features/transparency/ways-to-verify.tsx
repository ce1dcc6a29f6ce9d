import { Link } from '@tanstack/react-router'
import type { PublicConfig } from '@tocsin/protocol'
import type { ReactNode } from 'react'
import { paths } from '../../paths.ts'
import { CommandLine } from '../../ui/command-line.tsx'
import { verifierFile, verifierName } from '../proof/verifier-file.ts'
import { createProofFileName, createVerifyCommand } from '../proof/verify-command.ts'

/** Three ways to verify the log, ordered by decreasing trust in this site. */
export function WaysToVerify({ config }: { config: PublicConfig }) {
  const { contract, rpcUrl } = config.anchor
  const origin = location.origin
  const node = rpcUrl ?? 'https://…'
  return (
    <section aria-labelledby="ways" className="pt-24 phone:pt-16">
      <h2 id="ways" className="text-section">
        Three ways to check
      </h2>
      <p className="mt-3 text-lead text-2">Each depends less on us than the previous one.</p>
      <ol className="mt-8 grid gap-y-12">
        <Way
          number={1}
          title="In this browser"
          words={
            <>
              The button above checks the log. For one alert, open its proof file on the{' '}
              <Link to={paths.verification} className="link underline">
                verification page
              </Link>
              : six checks in your browser, which sends requests only to the chain.
            </>
          }
        />
        <Way
          number={2}
          title="On the command line"
          words={<VerifierText />}
          commands={[
            ...(verifierFile ? [`curl -O ${origin}/${verifierName}`] : []),
            createVerifyCommand(createProofFileName(12), config, program),
            createVerifyCommand(`--from-url ${origin}`, config, program),
          ]}
        />
        <Way
          number={3}
          title="Without our software"
          words="The log speaks RFC 6962 and C2SP. Ask it for a checkpoint, and the chain for the root of its anchor:"
          commands={[
            `curl ${origin}/api/log/checkpoint`,
            `curl "${origin}/api/log/entries?from=0&limit=100"`,
            `cast call ${contract} "latestSize()(uint64)" \\\n  --rpc-url ${node}`,
          ]}
        />
      </ol>
    </section>
  )
}

const program = verifierFile ? `node ${verifierName}` : undefined

function VerifierText() {
  const words = 'The verifier checks one alert by its proof file, or the whole log, entry by entry.'
  if (!verifierFile) return `Run the verifier from a checkout of the source code. ${words}`
  return (
    <>
      With{' '}
      <a href={`/${verifierName}`} download className="link underline">
        one file
      </a>{' '}
      of {Math.round(verifierFile.bytes / 1000)} kB that needs only Node.js, or from a checkout of the source code.{' '}
      {words} A build of the same source has the same SHA-256:
      <span className="mt-2 block text-data wrap-anywhere text-1">{verifierFile.sha256}</span>
    </>
  )
}

type WayProps = { number: number; title: string; words: ReactNode; commands?: readonly string[] }

/**
 * A description with its commands. On wide screens the commands are in a second column, in which a
 * full URL fits on one line.
 */
function Way({ number, title, words, commands = [] }: WayProps) {
  return (
    <li className="min-w-0">
      <div aria-hidden className="flex items-center gap-4">
        <span className="flex size-9 items-center justify-center border border-line-2 text-number-sm">{number}</span>
        <span className="h-px flex-1 bg-line-1" />
      </div>
      <div className="mt-5 grid gap-x-8 gap-y-3 lg:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
        <div className="max-w-170">
          <h3 className="text-lead font-semibold">{title}</h3>
          <div className="mt-1 text-body text-2">{words}</div>
        </div>
        {commands.length > 0 && (
          <div className="flex min-w-0 flex-col gap-2">
            {commands.map((command) => (
              <CommandLine key={command} command={command} />
            ))}
          </div>
        )}
      </div>
    </li>
  )
}
