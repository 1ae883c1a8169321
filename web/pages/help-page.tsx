import { PageHeading } from '../components/page-heading.tsx';

/** The written documentation, as the server has it. */
const DOCUMENTS = [
  {
    title: 'For developers',
    id: 'developers',
    rows: [
      ['tutorial', 'Tutorial', 'a package that builds, one that fails, one that is cancelled'],
      ['landing-tutorial', 'Tutorial of landings', 'a ticket that lands itself'],
      ['cli', 'The command', 'all of airline, with its options and exit codes'],
      ['failures', 'Failures', 'what each failure class means, and what to do'],
      ['errors', 'Errors', 'what the API refuses, and why'],
      ['glossary', 'Glossary', 'the words that Airline uses'],
    ],
  },
  {
    title: 'For programs',
    id: 'programs',
    rows: [
      ['lander', 'Writing a lander', 'requests, queues and messages'],
      ['webhooks', 'Webhooks', 'the same messages by HTTP'],
      ['landing', 'Landings', 'how a ticket lands, and what it has to fulfil'],
      ['guarantees', 'Guarantees', 'what callers can rely on'],
      ['api', 'The API', 'its operations; /docs/ tries them'],
    ],
  },
  {
    title: 'For operators',
    id: 'operators',
    rows: [
      ['operations', 'Operations', 'how to run, watch, back up and upgrade Airline'],
      ['configuration', 'Configuration', 'every setting'],
      ['testers', 'Testers', 'machines that test landings'],
      ['verdicts', 'Verdicts', 'how a build ends in each situation'],
      ['architecture', 'Architecture', 'what runs where, and why'],
    ],
  },
] as const;

/** Where the written documentation is. */
export function HelpPage() {
  return (
    <>
      <div class="page-head">
        <PageHeading title="Documentation" />
      </div>
      <p class="lead">
        Plain text, as it came with this server. <kbd>?</kbd> says what the keys do.
      </p>
      <div class="home">
        {DOCUMENTS.map(({ title, id, rows }) => (
          <section key={id} aria-labelledby={id}>
            <h2 id={id}>{title}</h2>
            <ul class="documents">
              {rows.map(([name, word, about]) => (
                <li key={name}>
                  <a href={`/help/${name}.md`} target="_top">
                    {word}
                  </a>
                  : {about}
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </>
  );
}
