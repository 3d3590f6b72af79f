/** Style sheets are imported for their effect; the build collects them into one file. */
declare module '*.css';
