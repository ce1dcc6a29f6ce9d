import { Link } from '@tanstack/react-router'
import type { PublicConfig } from '@tocsin/protocol'
import type { ReactNode } from 'react'
import { paths } from '../../paths.ts'
import { transparencyTexts } from '../../texts/transparency.tsx'
import { CommandLine } from '../../ui/command-line.tsx'
import { proofFileName, verifyCommand } from '../proof/proof-bundle.ts'

const texts = transparencyTexts.waysToVerify

/** Three ways to check, each needing less of us than the one before. */
export function WaysToVerify({ config }: { config: PublicConfig }) {
  const { contract, chainId, rpcUrl } = config.anchor
  const origin = location.origin
  const node = rpcUrl ?? 'https://…'
  const wholeLog = [
    `npm run verify -- --from-url ${origin}`,
    `--first-signer ${config.firstSigner}`,
    `--contract ${contract}`,
    `--chain-id ${chainId} --rpc ${node}`,
  ].join(' \\\n  ')
  return (
    <section aria-labelledby="ways" className="pt-24 phone:pt-16">
      <h2 id="ways" className="text-section">
        {texts.threeWaysToCheck}
      </h2>
      <p className="mt-3 text-lead text-2">{texts.eachNeedsLessOfUs}</p>
      <ol className="mt-8 grid gap-x-8 gap-y-12 lg:grid-cols-3">
        <Way number={1} title={texts.inThisBrowser}>
          <p>
            {texts.buttonAboveChecksTheLog({
              verification: (words) => (
                <Link to={paths.verification} className="link underline">
                  {words}
                </Link>
              ),
            })}
          </p>
        </Way>
        <Way number={2} title={texts.onTheCommandLine}>
          <p>{texts.fromACheckout}</p>
          <CommandLine command={verifyCommand(proofFileName(12))} className="mt-3" />
          <CommandLine command={wholeLog} className="mt-2" />
        </Way>
        <Way number={3} title={texts.withNothingOfOurs}>
          <p>{texts.logSpeaksRfc6962}</p>
          <CommandLine command={`curl ${origin}/api/log/checkpoint`} className="mt-3" />
          <CommandLine command={`curl "${origin}/api/log/entries?from=0&limit=100"`} className="mt-2" />
          <CommandLine command={`cast call ${contract} "latestSize()(uint64)" --rpc-url ${node}`} className="mt-2" />
        </Way>
      </ol>
    </section>
  )
}

function Way({ number, title, children }: { number: number; title: string; children: ReactNode }) {
  return (
    <li className="min-w-0">
      <div aria-hidden className="flex items-center gap-4">
        <span className="flex size-9 items-center justify-center border border-line-2 text-number-sm">{number}</span>
        <span className="h-px flex-1 bg-line-1" />
      </div>
      <h3 className="mt-5 text-lead font-semibold">{title}</h3>
      <div className="mt-1 text-body text-2">{children}</div>
    </li>
  )
}
