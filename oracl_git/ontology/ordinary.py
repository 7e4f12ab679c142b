"""Words that are written with a capital and name nothing: openers, months, mass nouns, words of manuals. Data."""

from __future__ import annotations

ORDINARY = frozenset(
    """January February March April May June July August September October November December Monday Tuesday
    Wednesday Thursday Friday Saturday Sunday Section Chapter Figure Table Appendix Article Part Note
    See Step Example Page Item Annex Schedule Exhibit Clause Yes No True False None Null The This That
    These Those It If In On At An And Or But For To Of We You They He She I Is Are Was Were Be Version
    Release Changes Bugfixes Added Fixed Removed Deprecated New Features Please Also When While Use
    Using Return Returns Returned Default Set Add Error Warning Info Debug Exception Unicode String
    Integer Boolean Object List Dict Class Method Function Module Package Type Types Value Values Key
    Keys File Files User Users Name Names Title Text Date Time English Internet Web Issue Issues Bug
    Pull Request Merge Patch Thanks Thank Ok Okay Mr Mrs Ms Dr How What Why Where Who Which All Any Each
    Every Both More Most Other Some Such First Second Third Next Last One Two Three Not Only Do Don Does
    Can Will Should Must Could Would There Here Now Then Today Important Tip Caution Danger Attention
    Hint Todo Markdown Heading Mon Tue Wed Thu Fri Sat Sun Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov
    Dec URLs URIs IDs APIs Makefile Homepage Viewer North South East West Before After Shows Long Short
    Left Right Top Bottom Start End Open Close Rights Reserved Examples Save Cancel Delete Edit View
    Help About Home Back Documentation Support Access Content Data Code Software Output Input Testing
    Security Development Usage Feedback Work Logic Behaviour Behavior Information Performance Caching
    Compression Encryption Authentication Authorization Authorisation Configuration Installation
    Deployment Validation Serialization Permission Functionality Production Everything Nothing Something
    Someone Anyone Everyone Nobody Half Neither Either Whatever Whoever Anything Reference Running
    Setting Calling Making Doing Writing Reading Adding Removing Passing Creating Getting Having Being
    Building Installing Updating Upgrading Overview Introduction Motivation Rationale Background Its Our
    Your My His Her Their Ensure Make Sure Allow Allows Fix Fixes Change Changed Update Updated Improve
    Improved Currently Instead Otherwise However Finally Additionally Furthermore Therefore Thus Hence
    Because Since So Usually Typically Internally Unfortunately By Under Over With Without Within From
    Through During Until Unless Once Again Like Unlike Given Besides Implementing Further Below Above
    Inside Outside Behind Optional Same Different Refer Enable Disable Provide Require Include Check Run
    Call Document Documented Remove Move Rename Refactor Replace URL Following""".split()
)
