import { useEffect, useRef } from 'preact/hooks';
import { announce } from '../announce.ts';
import type { Build } from '../server/api-types.ts';
import { buildLabel } from '../states.ts';
import { newFailureText } from './build-texts.ts';

/**
 * Has screen readers hear the state of a build each time that this is another one, and what of it has failed since it
 * was looked at before.
 *
 * @param build undefined until it is loaded; what of it has failed by then is no news
 */
export function useBuildNews(build: Build | undefined): void {
  const told = useRef<Build>(undefined);
  useEffect(() => {
    if (!build) return;
    const before = told.current;
    told.current = build;
    const { word } = buildLabel(build);
    const news = [
      before && buildLabel(before).word === word ? undefined : `Build ${build.id}: ${word}`,
      before && newFailureText(before.builds, build.builds),
    ].filter((text) => text !== undefined);
    if (news.length > 0) announce(news.join('. '));
  }, [build]);
}
